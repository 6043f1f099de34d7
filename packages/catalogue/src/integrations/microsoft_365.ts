import { defineIntegration } from '@linchpin/kit'
import { microsoftSignIn } from '../microsoft.ts'

// Looked up 2026-11-21: https://learn.microsoft.com/en-us/graph/api/user-get
export default defineIntegration({
  key: 'microsoft_365',
  name: 'Microsoft 365',
  category: 'DOCUMENTATION',
  version: '1.0.2',
  docs: 'https://learn.microsoft.com/en-us/graph/api/user-get',
  hosts: ['graph.microsoft.com', 'login.microsoftonline.com'],
  apiBaseUrl: 'https://graph.microsoft.com/v1.0',
  auth: { OAuth2: microsoftSignIn('User.Read') },
  check: { path: '/me' },
  identity: { id: 'id', label: ['mail', 'userPrincipalName', 'displayName'] },
})
