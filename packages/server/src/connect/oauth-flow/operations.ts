import { confirmConnectSessionOperation } from './confirm-connect-session.ts'
import { confirmOAuthOperation } from './confirm-oauth.ts'
import { startOAuthOperation } from './start/start-oauth.ts'

export const OAUTH_OPERATIONS = [
  startOAuthOperation,
  confirmOAuthOperation,
  confirmConnectSessionOperation,
]
