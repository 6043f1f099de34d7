/** What the bundle does in CHECK and HEADERS, selected by `config.check` and `config.headers`. */
export type Mode = 'ok' | 'hang' | 'spin' | 'fill' | 'hold' | 'flood'

/** The bundle of both tenants. `variant` changes only its hash. */
export function isolationBundle(apiUrl: string, variant: string): string {
  const properties = {
    api_key: { type: 'string', format: 'password' },
    base_url: { type: 'string', 'x-secret': false },
    check: { type: 'string', 'x-secret': false },
    headers: { type: 'string', 'x-secret': false },
  }
  const spec = {
    auth_specification: {
      'Api Key': { input_specification: { type: 'object', properties, required: ['api_key'] } },
      OAuth2: createOAuthType(apiUrl),
      'Hanging OAuth2': {
        ...createOAuthType(apiUrl),
        pushed_authorization_request_url: `${apiUrl}/hang`,
      },
    },
    api_base_url: apiUrl,
  }
  return `// ${variant}\nconst spec = ${JSON.stringify(spec)}\n${BEHAVIOUR}`
}

function createOAuthType(apiUrl: string) {
  return { authorization_url: `${apiUrl}/authorize`, token_url: `${apiUrl}/token` }
}

const BEHAVIOUR = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const modes = {
  ok: async () => {},
  hang: ({ base_url }) => fetch(base_url + '/hang'),
  spin: () => { for (;;); },
  fill: () => { const arrays = []; for (;;) arrays.push(new Uint8Array(1e6).fill(1)) },
  hold: async () => {
    const arrays = Array.from({ length: 40 }, () => new Uint8Array(1e6).fill(1))
    await sleep(5000)
    return arrays.length
  },
  flood: ({ base_url }) =>
    Promise.all(Array.from({ length: 40 }, () => fetch(base_url + '/large').then((answer) => answer.text()))),
}
exports.default = async (command, { config }) => {
  if (command === 'SPEC') return spec
  if (command === 'HEADERS') {
    await modes[config.headers ?? 'ok'](config)
    return { 'x-api-key': config.api_key }
  }
  if (command !== 'CHECK') return { status: false, error: 'Command not found' }
  await modes[config.check ?? 'ok'](config)
  const answer = await fetch(config.base_url + '/me', { headers: { 'x-api-key': config.api_key } })
  return answer.ok ? { status: true, error: '' } : { status: false, error: 'answered ' + answer.status }
}
`
