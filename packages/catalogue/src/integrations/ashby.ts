import { basic, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.ashbyhq.com/reference/authentication (403 for a wrong
// key and, with missing_endpoint_permission, for a missing permission) and
// https://developers.ashbyhq.com/reference/api-key.
export default defineIntegration({
  key: 'ashby',
  name: 'Ashby',
  category: 'ATS',
  version: '1.0.2',
  docs: 'https://developers.ashbyhq.com/reference/authentication',
  hosts: ['api.ashbyhq.com'],
  headers: { Accept: 'application/json; version=1' },
  auth: {
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'In the admin settings, under API keys. Allow it to read API keys.',
          helpUrl: 'https://app.ashbyhq.com/admin/api/keys',
        }),
      },
    }),
  },
  check: {
    path: '/apiKey.info',
    method: 'POST',
    body: {},
    ok: { path: 'success', equals: true },
    errors: [
      {
        match: { 'errorInfo.code': 'missing_endpoint_permission' },
        code: 'insufficient_scope',
        hint: 'Give the key the permission to read API keys.',
      },
      {
        match: { 'errors.0': 'missing_endpoint_permission' },
        code: 'insufficient_scope',
        hint: 'Give the key the permission to read API keys.',
      },
      { status: 403, code: 'invalid_credentials' },
    ],
  },
})
