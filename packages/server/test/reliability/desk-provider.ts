import { buildExampleBundles } from '../../../../examples/build.ts'
import { createBundleRoutes } from '../../../../examples/bundle-routes.ts'
import { createProvider, type Provider } from '../../../../examples/provider/provider.ts'
import type { Route } from '../../../../examples/provider/route.ts'
import type { ServiceProcess } from './service-process.ts'

/** A provider on this machine that also serves the bundles that call it. */
export async function startDeskProvider(
  options: { slowMs?: number; routes?: readonly Route[] } = {},
): Promise<Provider> {
  const { routes = [], ...rest } = options
  const provider = createProvider({
    routes: [...createBundleRoutes(await buildExampleBundles()), ...routes],
    ...rest,
  })
  await provider.listen()
  return provider
}

/** Creates the definition of Acme Desk and returns its id. */
export async function defineDesk(
  service: ServiceProcess,
  provider: { readonly url: string },
): Promise<string> {
  const response = await service.call('POST', '/v1/integration_definition', {
    name: 'Acme Desk',
    sourceUrl: `${provider.url}/bundles/acme-desk/index.js`,
    integrationType: 'Ticketing',
  })
  if (response.status !== 201) throw new Error(`no definition: ${JSON.stringify(response.body)}`)
  return response.body.integrationDefinitionId
}

/** The body that creates or checks an account of Acme Desk with this key. */
export function createDeskCredentials(
  definitionId: string,
  provider: { readonly url: string },
  apiKey: string,
) {
  return {
    integrationDefinitionId: definitionId,
    authType: 'Api Key',
    config: { api_key: apiKey, base_url: provider.url },
  }
}
