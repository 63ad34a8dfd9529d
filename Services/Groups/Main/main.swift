import GroupsService
import ServiceKit

Service.main(groupsService)
