/** The spec of `miniBundle`: one auth type with a key, and one for OAuth. */
export const MINI_SPEC = {
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: {
          api_key: { type: 'string', format: 'password' },
          base_url: { type: 'string', 'x-secret': false },
        },
      },
    },
    OAuth2: {
      input_specification: { type: 'object', properties: { refresh_token: { type: 'string' } } },
      authorization_url: 'https://provider.example/authorize',
      token_url: 'https://provider.example/token',
    },
  },
}

/**
 * A small bundle whose CHECK depends on `config.mode`: `answer` returns `config.answer`, `told` the response of
 * `{base_url}/told`; `throw`, `loop`, `never` and `memory` misbehave; `show` posts its configuration to `/show`; any other
 * mode requests `{base_url}/check` with the key.
 */
export function createMiniBundle(spec: unknown = MINI_SPEC): string {
  return `
const spec = ${JSON.stringify(spec)}
const modes = {
  answer: ({ answer }) => answer,
  told: async ({ base_url }) => (await fetch(base_url + '/told')).json(),
  throw: ({ api_key }) => { throw new Error('it broke with ' + api_key) },
  loop: () => { for (;;); },
  never: () => new Promise(() => {}),
  memory: () => { const held = []; for (;;) held.push(new Uint8Array(1e6).fill(1)) },
  show: async (config) => {
    await fetch(config.base_url + '/show', { method: 'POST', body: JSON.stringify(config) })
    return { status: true }
  },
}
async function ask({ base_url, api_key }) {
  if (base_url === undefined) return { status: true, error: '' }
  try {
    const answer = await fetch(base_url + '/check', { headers: { 'x-api-key': api_key ?? '' } })
    if (answer.ok) return { status: true, error: '' }
    return { status: false, error: 'the provider answered ' + answer.status }
  } catch (error) {
    return { status: false, error: String(error.message) }
  }
}
exports.default = async (command, params) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') return { status: false, error: 'Command not found' }
  return (modes[params.config.mode] ?? ask)(params.config)
}
`
}
