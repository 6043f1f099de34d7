import { defineIntegration } from '@linchpin/kit'
import { googleErrors, googleSignIn } from '../google.ts'

// Looked up 2026-11-21: https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
export default defineIntegration({
  key: 'google_drive',
  name: 'Google Drive',
  icon: 'googledrive',
  category: 'STORAGE',
  version: '1.0.2',
  docs: 'https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get',
  hosts: ['www.googleapis.com', 'oauth2.googleapis.com'],
  apiBaseUrl: 'https://www.googleapis.com/drive/v3',
  auth: { OAuth2: googleSignIn('https://www.googleapis.com/auth/drive.file') },
  check: { path: '/about', query: { fields: 'user' }, errors: googleErrors },
  identity: {
    id: 'user.permissionId',
    label: ['user.emailAddress', 'user.displayName'],
    avatarUrl: 'user.photoLink',
  },
})
