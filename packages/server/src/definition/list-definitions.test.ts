import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import { fine, hasKeys, KEYS, refused, startWorld, type World } from '../../test/fixtures.ts'

describe('GET /v1/integration_definition', () => {
  let t: World
  const made: Record<string, string>[] = []
  before(async () => {
    t = await startWorld()
    for (const integrationType of ['TICKETING', 'CRM', 'OWN_ONE', 'TICKETING', 'CRM'])
      made.push(await t.define({ integrationType }))
    const gone = await t.define()
    await t.call('DELETE', `/v1/integration_definition/${gone.integrationDefinitionId}`)
    await t.define({ token: (await t.stranger()).token })
  })
  after(() => t.close())

  const list = (query = '', token = t.token) =>
    t.call('GET', `/v1/integration_definition${query}`, { token })
  const ids = (definitions: Record<string, string>[]) =>
    definitions.map(({ integrationDefinitionId }) => integrationDefinitionId)

  it('200: answers the live ones of the workspace, oldest first, as create did', async () => {
    const definitions = fine(await list())
    assert.deepEqual(definitions, made)
    for (const definition of definitions) hasKeys(definition, KEYS.definition)
    assert.deepEqual(fine(await list(`?workspaceId=${t.workspaceId}`)), made)
  })

  it('200: an empty workspace has an empty list', async () => {
    const { workspaceId } = (await t.call('POST', '/v1/workspace', {})).body
    assert.deepEqual(fine(await list(`?workspaceId=${workspaceId}`)), [])
    assert.deepEqual(fine(await list('', await t.mint({ workspaceId }))), [])
  })

  it('200: narrows by category', async () => {
    const of = async (query: string) => ids(fine(await list(query)))
    const [a, b, c, d, e] = ids(made)
    assert.deepEqual(await of('?category=crm'), [b, e])
    assert.deepEqual(await of('?category=CRM,OWN_ONE'), [b, c, e])
    assert.deepEqual(await of('?category=TICKETING&category=OWN_ONE'), [a, c, d])
    assert.deepEqual(await of('?category=HRIS'), [])
    assert.deepEqual(await of('?category='), ids(made))
  })

  it('200: pages of 2 give each once, and only the last has no Link header', async () => {
    const seen: string[] = []
    let next: string | undefined = `/v1/integration_definition?limit=2&workspaceId=${t.workspaceId}`
    let pages = 0
    while (next !== undefined) {
      const answer = await t.call('GET', next)
      seen.push(...ids(fine(answer)).map(String))
      pages += 1
      next = /^<http:\/\/localhost:3000\/api(.*)>; rel="next"$/.exec(
        String(answer.headers.link),
      )?.[1]
    }
    assert.deepEqual([seen, pages], [ids(made), 3])
  })

  it('400: bad limits, cursors and categories', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=x',
      'cursor=x',
      'category=-',
      'q=1',
    ])
      refused(await list(`?${query}`), 'invalid_parameter')
  })

  it('403: a workspace that the token does not reach', async () => {
    const { workspaceId } = await t.stranger()
    for (const id of [workspaceId, 'wsp_00000000000000000000000000', ''])
      refused(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
  })

  itGuards(() => t, 'GET', '/v1/integration_definition', { scope: 'read' })
})
