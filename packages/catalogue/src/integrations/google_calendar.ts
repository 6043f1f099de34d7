import { defineIntegration } from '@linchpin/kit'
import { googleErrors, googleIdentity, googleSignIn } from '../google.ts'

// Looked up 2026-11-21: https://developers.google.com/workspace/calendar/api/v3/reference/calendarList/get
export default defineIntegration({
  key: 'google_calendar',
  name: 'Google Calendar',
  icon: 'googlecalendar',
  category: 'CALENDAR',
  version: '1.0.2',
  docs: 'https://developers.google.com/workspace/calendar/api/v3/reference/calendarList/get',
  hosts: ['www.googleapis.com', 'oauth2.googleapis.com', 'openidconnect.googleapis.com'],
  apiBaseUrl: 'https://www.googleapis.com/calendar/v3',
  auth: {
    OAuth2: googleSignIn('openid', 'email', 'https://www.googleapis.com/auth/calendar.readonly'),
  },
  check: { path: '/users/me/calendarList/primary', errors: googleErrors },
  identity: googleIdentity,
})
