import { apiKey, defineIntegration, secret } from '@linchpin/kit'

// One endpoint, errors with status 200 or 400.
export default defineIntegration({
  key: 'graph_like',
  name: 'Line',
  category: 'TICKETING',
  version: '1.0.0',
  docs: 'https://linear.app/developers/graphql',
  hosts: ['api.linear.app'],
  auth: {
    'Api Key': apiKey({
      name: 'Authorization',
      fields: { api_key: secret('API key', { help: 'In the settings of your account.' }) },
    }),
  },
  check: {
    path: '/graphql',
    body: { query: '{ viewer { id name } }' },
    ok: 'data.viewer.id',
    errors: [
      {
        match: { 'errors.0.extensions.code': 'AUTHENTICATION_ERROR' },
        code: 'invalid_credentials',
      },
    ],
  },
  identity: { id: 'data.viewer.id', label: 'data.viewer.name' },
})
