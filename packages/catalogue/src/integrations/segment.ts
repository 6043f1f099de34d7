import { bearer, defineIntegration, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.segmentapis.com/tag/Error-Handling and the provider's SDK,
// https://github.com/segmentio/public-api-sdk-go (docs/WorkspacesAPI.md).
export default defineIntegration({
  key: 'segment',
  name: 'Segment',
  category: 'ANALYTICS',
  version: '1.0.2',
  docs: 'https://docs.segmentapis.com/tag/Error-Handling',
  hosts: ['api.segmentapis.com', 'eu1.api.segmentapis.com'],
  apiBaseUrl: 'https://${region}.segmentapis.com',
  inputs: {
    region: select(
      'Region',
      { api: 'United States', 'eu1.api': 'Europe' },
      { help: 'Where your workspace is hosted.', default: 'api' },
    ),
  },
  auth: {
    Token: bearer({
      fields: {
        token: secret('Public API token', {
          help: 'Under Settings, Workspace settings, Access management, Tokens.',
          helpUrl: 'https://www.twilio.com/docs/segment/api/public-api',
        }),
      },
    }),
  },
  check: { path: '/', ok: 'data.workspace.id' },
  identity: { id: 'data.workspace.id', label: ['data.workspace.name', 'data.workspace.slug'] },
})
