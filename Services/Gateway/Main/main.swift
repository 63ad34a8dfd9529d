import GatewayService

Gateway.main()
