import {
  createDeskCredentials,
  defineDesk,
} from '../packages/server/test/reliability/desk-provider.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  startService,
} from '../packages/server/test/reliability/service-process.ts'

/** A service with a definition, a link and a hundred accounts, at the default log level. */
export interface BenchmarkedService {
  readonly service: ServiceProcess
  readonly token: string
  readonly accountIds: readonly string[]
  readonly definitionId: string
  readonly linkId: string
  /** The body of a check with valid credentials. */
  readonly credentials: object
  stop(): Promise<void>
}

const ACCOUNTS = 100

/** Starts a service and the provider of the examples. */
export async function startSubject(
  desk: { readonly url: string },
  databaseUrl: string | undefined,
  nodeArgs: readonly string[] = [],
): Promise<BenchmarkedService> {
  const setup = await createServiceSetup({ databaseUrl, nodeArgs })
  const service = await startService(setup)
  const definitionId = await defineDesk(service, desk)
  const link = await service.call('POST', '/v1/link', { linkName: 'Onboarding' })
  const credentials = createDeskCredentials(definitionId, desk, 'desk_live_1')
  const accountIds: string[] = []
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const body = { ...credentials, integrationAccountName: `Support desk ${count}` }
    const response = await service.call('POST', '/v1/integration_account', body)
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    accountIds.push(response.body.integrationAccountId)
  }
  return {
    service,
    token: setup.token,
    accountIds,
    definitionId,
    linkId: link.body.linkId,
    credentials,
    async stop() {
      await service.stop()
      await setup.remove()
    },
  }
}
