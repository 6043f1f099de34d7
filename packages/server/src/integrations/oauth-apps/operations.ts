import { createOAuthAppOperation } from './create-oauth-app.ts'
import {
  deleteOAuthAppOperation,
  getOAuthAppOperation,
  listOAuthAppIdsOperation,
  listOAuthAppsOperation,
} from './oauth-app-operations.ts'
import { testOAuthAppOperation } from './test-oauth-app.ts'
import { updateOAuthAppOperation } from './update-oauth-app.ts'

export const OAUTH_APP_OPERATIONS = [
  createOAuthAppOperation,
  listOAuthAppsOperation,
  listOAuthAppIdsOperation,
  getOAuthAppOperation,
  updateOAuthAppOperation,
  testOAuthAppOperation,
  deleteOAuthAppOperation,
]
