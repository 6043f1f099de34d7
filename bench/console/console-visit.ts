import { Agent, type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { createConsoleAddress } from '../../packages/server/src/app/start/console-code.ts'
import { openDatabase } from '../../packages/server/src/platform/storage/open-database.ts'
import type { ServiceProcess } from '../../packages/server/test/reliability/service-process.ts'

/** A person who is signed in to the console, over HTTP. */
export interface ConsoleVisit {
  /** The cookies of the session: `name=value; …`. */
  cookie(): string
  /** Loads a page, compressed as for a browser. @throws unless its status is 200 */
  load(path: string): Promise<void>
  /** The text of a page. @throws unless its status is 200 */
  read(path: string): Promise<string>
  /** Submits the form of a page, with its hidden fields and these. @throws if it has to be corrected */
  submit(page: string, path: string, fields: FormFields): Promise<void>
  /** Gives the session the elevated scopes for ten minutes. */
  elevate(): Promise<void>
  /** Opens the live updates, and reads them until `close`. */
  watch(): void
  close(): void
}

type FormFields = Readonly<Record<string, string>>

/** Where the codes come from that sign in. */
export interface DatabaseLocation {
  readonly file: string
  readonly url: string | undefined
}

/** Signs the owner in. Each of many comes from another network, which has ten attempts per minute. */
export async function visitConsole(
  service: Pick<ServiceProcess, 'url'>,
  location: DatabaseLocation,
  network = 1,
): Promise<ConsoleVisit> {
  const { cookie, send, close } = createClient(service.url, network)
  const read = async (path: string) => {
    const response = await send('GET', path)
    const text = await readText(response)
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
    return text
  }
  const post = async (path: string, fields: FormFields) => {
    const response = await send('POST', path, FORM_HEADERS, String(new URLSearchParams(fields)))
    const text = await readText(response)
    if (![201, 303].includes(response.statusCode ?? 0))
      throw new Error(`${path}: ${response.statusCode} ${text.slice(-600)}`)
  }
  const submit = (page: string, path: string, fields: FormFields) =>
    post(path, { ...readHiddenFields(page, path), ...fields })
  await post('/console/open', { code: await createCode(location) })
  return {
    cookie,
    read,
    submit,
    close,
    async load(path) {
      const response = await send('GET', path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      for await (const _ of response);
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
    },
    async elevate() {
      const page = await read('/console/elevate?to=/console/keys')
      const path = '/console/elevate?to=%2Fconsole%2Fkeys'
      await submit(page, path, { code: await createCode(location) })
    },
    watch() {
      // It ends when the visit is closed, or the service.
      send('GET', '/console/live').then(
        (response) => response.on('error', () => {}).resume(),
        () => {},
      )
    },
  }
}

const FORM_HEADERS = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
  origin: 'null',
}

function createClient(url: string, network: number) {
  const agent = new Agent({ keepAlive: true })
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = (method: 'GET' | 'POST', path: string, headers = {}, body?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        agent,
        method,
        headers: { host: `localhost:${new URL(url).port}`, cookie: cookie(), ...headers },
        localAddress: `127.0.2.${network}`,
      }
      request(url + path, options, (response) => {
        for (const line of response.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        resolve(response)
      })
        .once('error', reject)
        .end(body)
    })
  return { cookie, send, close: () => agent.destroy() }
}

async function createCode(location: DatabaseLocation): Promise<string> {
  const database = await openDatabase(location)
  try {
    const address = await createConsoleAddress({ database, now: Date.now }, '')
    return address?.split('#')[1] ?? ''
  } finally {
    await database.close()
  }
}

function readHiddenFields(page: string, path: string): FormFields {
  const forms = page.match(/<form\b[^>]*>[\s\S]*?<\/form>/g) ?? []
  const form = forms.find((each) => each.includes(`action="${path}"`))
  if (form === undefined) throw new Error(`no form posts to ${path}`)
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}
