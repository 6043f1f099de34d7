import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** Creates the definition of Acme Desk, reads it and its spec, and resolves to its id. */
export async function runDefinitionSteps(call: CallApi, sourceUrl: string): Promise<string> {
  const created = await call({
    title: 'Create a definition from a compiled integration',
    method: 'POST',
    path: '/integration_definition',
    body: { name: 'Acme Desk', sourceUrl, integrationType: { key: 'TICKETING' } },
    expect: 201,
    show: ['integrationDefinitionId', 'key', 'version', 'releaseStage', 'integrationType'],
  })
  const id = String(created.integrationDefinitionId)
  expectThat(created.key === 'acme_desk', `The key should be acme_desk, not ${created.key}.`)

  const fetched = await call({
    title: 'Get the definition',
    method: 'GET',
    path: `/integration_definition/${id}`,
    expect: 200,
    show: ['name', 'isLatest', 'latestVersion', 'latestVersionSource'],
  })
  expectThat(fetched.isLatest === true, 'A new definition should be the latest version.')

  const spec = await call({
    title: 'Get its spec: the fields that a customer fills in',
    method: 'GET',
    path: `/integration_definition/${id}/spec`,
    expect: 200,
  })
  const authTypes = Object.keys(spec.auth_specification ?? {})
  expectThat(authTypes.join() === 'Api Key', `The one auth type should be Api Key: ${authTypes}.`)

  const list = await call({
    title: 'List definitions',
    method: 'GET',
    path: '/integration_definition',
    expect: 200,
    show: ['integrationDefinitionId', 'key'],
  })
  expectThat(JSON.stringify(list.items).includes(id), 'The list should contain the new definition.')
  return id
}
