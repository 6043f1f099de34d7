import { apiKey, basic, defineIntegration, email, secret, twoStepLogin, url } from '@linchpin/kit'

// Self-hosted: a session is created with name and password, and keys are sent in the query.
export default defineIntegration({
  key: 'self_hosted',
  name: 'Shop',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://shop.example.com/docs',
  hosts: 'any',
  apiBaseUrl: '${base_url}/api',
  inputs: { base_url: url('Address', { placeholder: 'https://shop.example.com/one/' }) },
  headers: ({ authType }) => ({ 'X-Way': authType }),
  auth: {
    Login: twoStepLogin({
      fields: { email: email('E-mail'), password: secret('Password', { help: 'Yours.' }) },
      login: { url: '${base_url}/login', body: { user: '${email}', password: '${password}' } },
      token: 'session.id',
      headers: { 'X-Session': '${token}' },
    }),
    Keys: apiKey({
      query: { key: '${consumer_key}', secret: '${consumer_secret}' },
      fields: {
        consumer_key: secret('Key', { help: 'In the settings.' }),
        consumer_secret: secret('Secret', { help: 'Beside the key.' }),
      },
    }),
    Basic: basic(),
  },
  async check(context) {
    const answer = await context.fetch('/me', { query: { fields: 'id' } })
    return context.checkResponse(answer, { errors: [{ status: 418, code: 'account_inactive' }] })
  },
  async identity({ fetch, config }) {
    const answer = await fetch('/me', { query: { fields: 'id' } })
    if (!answer.ok) throw new Error(`It answered ${answer.status}.`)
    const { id } = (await answer.json()) as { id: number }
    return { id: `${id}`, label: `${id} at ${config.base_url}` }
  },
})
