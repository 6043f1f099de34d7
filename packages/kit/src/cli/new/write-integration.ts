import type { Answers, Way } from './answers.ts'

/** The source of a new integration. It passes the lint and its own test as it is. */
export function writeIntegration(answers: Answers): string {
  const { name, key, category, baseUrl, way, checkPath, docs } = answers
  const { imports, lines } = WAYS[way](baseUrl)
  const place = writePlace(baseUrl)
  const names = [...imports, ...place.imports, 'defineIntegration'].sort()
  return `import { ${names.join(', ')} } from '@linchpin/kit'

// Write here when you looked each fact up, and where.
export default defineIntegration({
  key: ${quote(key)},
  name: ${quote(name)},
  category: ${quote(category)},
  version: '1.0.0',
  docs: ${quote(docs)},
${place.lines.map((line) => `  ${line}\n`).join('')}  auth: {
${lines.map((line) => `    ${line}`).join('\n')}
  },
  check: {
    path: ${quote(checkPath)},
    errors: [{ status: 403, hint: 'Say here what the credentials must be allowed to do.' }],
  },
  identity: { id: 'id', label: ['name', 'email'] },
})
`
}

/** The fixtures of a new integration. */
export function writeFixtures({ baseUrl, way, checkPath }: Answers): string {
  return `import { defineFixtures, reply } from '@linchpin/kit/testing'

// Put here what the provider documents: bodies, and statuses other than these.
export default defineFixtures({
  endpoint: ${quote(`GET ${baseUrl}${checkPath}`)},
  sends: ${quote(SENDS[way])},
  good: { id: 1, name: 'Ann', email: 'ann@example.com' },
  bad: reply(401, { message: 'unauthorized' }),
  insufficient: reply(403, { message: 'forbidden' }),
${way === 'oauth2' ? writeSignIn(baseUrl) : ''}  identity: { id: '1', label: 'Ann' },
})
`
}

function writeSignIn(baseUrl: string): string {
  const origin = originOf(baseUrl)
  return `  // The page for consent with its whole query, and what a refresh token is only given for: offline.
  signIn: {
    authorize: ${quote(`${origin}/oauth/authorize`)},
    token: ${quote(`${origin}/oauth/token`)},
  },
`
}

interface Written {
  readonly imports: readonly string[]
  readonly lines: readonly string[]
}

const HELP = "{ help: 'Say here where people find it.' }"

const WAYS: Readonly<Record<Way, (baseUrl: string) => Written>> = {
  bearer: () => ({
    imports: ['bearer', 'secret'],
    lines: [`Token: bearer({ fields: { token: secret('API token', ${HELP}) } }),`],
  }),
  header: () => keyed("name: 'X-Api-Key'"),
  query: () => keyed("in: 'query', name: 'api_key'"),
  basic: () => ({
    imports: ['basic', 'secret', 'text'],
    lines: [
      'Basic: basic({',
      `  fields: { username: text('User name'), password: secret('Password', ${HELP}) },`,
      '}),',
    ],
  }),
  oauth2: (baseUrl) => ({
    imports: ['oauth2'],
    lines: [
      'OAuth2: oauth2({',
      `  authorizationUrl: ${quote(`${originOf(baseUrl)}/oauth/authorize`)},`,
      `  tokenUrl: ${quote(`${originOf(baseUrl)}/oauth/token`)},`,
      '  scopes: [],',
      '}),',
    ],
  }),
}

const SENDS: Readonly<Record<Way, string>> = {
  bearer: 'Authorization: Bearer ${secret}',
  header: 'X-Api-Key: ${secret}',
  query: '?api_key=${secret}',
  basic: 'Authorization: Basic ${username}:${password}',
  oauth2: 'Authorization: Bearer ${secret}',
}

/** Where the provider is: the lines for hosts and base URL. */
function writePlace(baseUrl: string): Written {
  if (baseUrl.startsWith('${'))
    return {
      imports: ['url'],
      lines: [
        "hosts: 'any',",
        `apiBaseUrl: ${quote(baseUrl)},`,
        "inputs: { base_url: url('Address', { placeholder: 'https://acme.example' }) },",
      ],
    }
  const { hostname } = new URL(baseUrl)
  const hosts = `hosts: [${quote(hostname)}],`
  return {
    imports: [],
    lines: baseUrl === `https://${hostname}` ? [hosts] : [hosts, `apiBaseUrl: ${quote(baseUrl)},`],
  }
}

function keyed(place: string): Written {
  const field = `fields: { api_key: secret('API key', ${HELP}) }`
  return {
    imports: ['apiKey', 'secret'],
    lines: ["'Api Key': apiKey({", `  ${place},`, `  ${field},`, '}),'],
  }
}

function originOf(baseUrl: string): string {
  return baseUrl.startsWith('${') ? '${base_url}' : new URL(baseUrl).origin
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
