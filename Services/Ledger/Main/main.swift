import LedgerService
import ServiceKit

Service.main(ledgerService)
