import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'
import type { Mode } from './bundles.ts'

/** A workspace with its owner, provider and bundles. */
export interface Tenant {
  readonly token: string
  readonly providerUrl: string
  /** Definitions with bundles that differ in a comment. */
  readonly definitionIds: readonly string[]
  /** One account per behaviour in HEADERS. */
  readonly accounts: Readonly<Partial<Record<Mode, string>>>
}

/** Creates the definitions and accounts of a tenant. @throws when the service rejects one of them */
export async function createTenant(
  service: ServiceProcess,
  options: { token: string; providerUrl: string; definitions: number; modes: readonly Mode[] },
): Promise<Tenant> {
  const { token, providerUrl, modes } = options
  const create = async (path: string, body: object) => {
    const response = await service.call('POST', path, body, token)
    if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const definitionIds: string[] = []
  for (let number = 0; number < options.definitions; number += 1) {
    const sourceUrl = `${providerUrl}/bundles/${number}`
    const body = { name: `Isolation ${number}`, sourceUrl, integrationType: 'Other' }
    const response = await create('/v1/integration_definition', body)
    definitionIds.push(response.integrationDefinitionId)
  }
  await create('/v1/integration_oauth', {
    integrationDefinitionId: definitionIds[0],
    clientId: 'isolation',
    clientSecret: 'isolation_secret_1',
  })
  const tenant = { token, providerUrl, definitionIds, accounts: {} }
  const accounts: Partial<Record<Mode, string>> = {}
  for (const mode of modes) {
    const body = {
      ...createCredentials(tenant, 0, { headers: mode }),
      integrationAccountName: mode,
    }
    accounts[mode] = (await create('/v1/integration_account', body)).integrationAccountId
  }
  return { ...tenant, accounts }
}

/** The body of a check. */
export function createCredentials(
  { definitionIds, providerUrl }: Tenant,
  definition: number,
  modes: { readonly check?: Mode; readonly headers?: Mode },
) {
  return {
    integrationDefinitionId: definitionIds[definition],
    authType: 'Api Key',
    config: { api_key: 'isolation_key_1', base_url: providerUrl, ...modes },
  }
}
