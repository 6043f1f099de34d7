import { defineIntegration } from '@linchpin/kit'
import { googleErrors, googleIdentity, googleSignIn } from '../src/google.ts'

// Looked up 2026-11-21: https://developers.google.com/workspace/sheets/api/scopes,
// https://developers.google.com/identity/openid-connect/openid-connect
export default defineIntegration({
  key: 'google_sheets',
  name: 'Google Sheets',
  icon: 'googlesheets',
  category: 'DOCUMENTATION',
  version: '1.0.8',
  docs: 'https://developers.google.com/workspace/sheets/api/scopes',
  hosts: ['sheets.googleapis.com', 'oauth2.googleapis.com', 'openidconnect.googleapis.com'],
  auth: {
    OAuth2: googleSignIn(
      'openid',
      'email',
      'https://www.googleapis.com/auth/spreadsheets.readonly',
    ),
  },
  // Sheets has no endpoint that works without the ID of a spreadsheet. The token response lists the scopes that the user
  // granted.
  async check(context) {
    const answer = await context.fetch(googleIdentity.path)
    const { scope = 'auth/spreadsheets' } = context.config
    return answer.ok && !/auth\/(spreadsheets|drive)/.test(scope)
      ? context.refuse('insufficient_scope', {
          hint: 'Sign in again, and leave the box for your spreadsheets selected.',
        })
      : context.checkResponse(answer, { errors: googleErrors })
  },
  identity: googleIdentity,
})
