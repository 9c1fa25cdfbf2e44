import Gateway

GatewayProcess.run()
