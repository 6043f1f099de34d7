// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax

/** A site to choose, in the spec of `createFactsBundle`. */
export const SITE_FACT = {
  name: 'cloud_id',
  title: 'Site',
  hint: 'Sign in again and choose a site.',
  'x-i18n': { de: { title: 'Standort' } },
}

/** A bundle whose CONNECTED returns the response of `/facts` of the provider. Its API is below `/api/${cloud_id}`. */
export function createFactsBundle(
  provider: string,
  {
    facts = [SITE_FACT],
    spec = {},
    auth = {},
  }: {
    readonly facts?: readonly object[]
    readonly spec?: object
    readonly auth?: object
  } = {},
): string {
  const { host } = new URL(provider)
  const types = {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: { api_key: { type: 'string', format: 'password', title: 'API key' } },
      },
      headers: { 'x-api-key': '${api_key}', 'x-site': '${cloud_id}' },
      'x-facts': facts,
    },
    ...auth,
  }
  const whole = {
    auth_specification: types,
    api_base_url: `${provider}/api/\${cloud_id}`,
    'x-hosts': [host.replace(/:\d+$/, '')],
    ...spec,
  }
  return `
const spec = ${JSON.stringify(whole)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command === 'CHECK') {
    await fetch(${JSON.stringify(provider)} + '/checked?' + Object.keys(config).join('&'))
    return { status: config.api_key !== 'wrong', error: 'The key is wrong.' }
  }
  if (command === 'IDENTITY') return { id: 'user-1', label: 'ann@acme.test' }
  if (command !== 'CONNECTED') return { status: false, error: 'Command not found' }
  const answer = await fetch(${JSON.stringify(provider)} + '/facts?' + Object.keys(config).join('&'))
  return answer.json()
}
`
}
