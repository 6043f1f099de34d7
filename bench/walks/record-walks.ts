import {
  createValidFormValues,
  defineDesk,
} from '../../packages/server/src/connect/connect-page/test/desk.ts'
import { expectCreated, testContext } from '../../packages/server/test/test-context.ts'
import { summarizeWalk, type Walk } from './summarize-walk.ts'
import { type Entry, record } from './trace-modules.ts'

/**
 * Sends each request once, after which everything is compiled and cached, and then records it three times. The shortest
 * recording counts, because background work may run during the others.
 */
export async function recordWalks(): Promise<Map<string, Walk>> {
  const walks = new Map<string, Walk>()
  const walk = async (name: string, prepare: () => Promise<() => Promise<unknown>>) => {
    await (await prepare())()
    const recordings: Entry[][] = []
    for (let run = 0; run < 3; run++) recordings.push(await record(await prepare()))
    const [shortest = []] = recordings.sort((one, other) => one.length - other.length)
    walks.set(name, summarizeWalk(shortest))
  }
  await walkAccounts(walk)
  await walkSignIn(walk)
  return walks
}

type RecordWalk = (name: string, prepare: () => Promise<() => Promise<unknown>>) => Promise<void>

async function walkAccounts(walk: RecordWalk): Promise<void> {
  const t = await testContext({ pages: true })
  try {
    const desk = await defineDesk(t)
    const linkPath = await t.link({ integrationDefinitionId: desk.definitionId })
    const linkId = linkPath.split('/').at(-1)
    const credentials = {
      integrationDefinitionId: desk.definitionId,
      authType: 'Api Key',
      config: { api_key: 'desk_live_canary_0123', base_url: t.stubServer.url, mode: 'told' },
    }
    const body = { ...credentials, integrationAccountName: 'Walk' }
    const create = () => t.call('POST', `/v1/integration_account/link/${linkId}`, { body })
    const account = expectCreated(await create())
    const accountPath = `/v1/integration_account/${account.integrationAccountId}`
    await walk('GET account', async () => () => t.call('GET', accountPath))
    await walk(
      'check credentials',
      async () => () => t.call('POST', '/v1/integration_account/check', { body: credentials }),
    )
    await walk('create account through link', async () => create)
    await walk('GET connect page', async () => {
      const visitor = t.visitor()
      return () => visitor.get(linkPath)
    })
    await walk('POST form of the connect page', async () => {
      const visitor = t.visitor()
      const page = await visitor.get(linkPath)
      return () => visitor.submit(page, createValidFormValues(t))
    })
  } finally {
    await t.close()
  }
}

async function walkSignIn(walk: RecordWalk): Promise<void> {
  const t = await testContext({ oauth: true })
  try {
    await walk('POST /v1/oauth', async () => () => t.start())
    await walk('OAuth callback', async () => {
      const callback = await t.browser.signIn(await t.browser.begin(await t.start()))
      return () => t.browser.get(callback)
    })
  } finally {
    await t.close()
  }
}
