import { createOAuthAppOperation } from './create-oauth-app.ts'
import { deleteOAuthAppOperation } from './delete-oauth-app.ts'
import { getOAuthAppOperation } from './get-oauth-app.ts'
import { listOAuthAppIdsOperation } from './list-oauth-app-ids.ts'
import { listOAuthAppsOperation } from './list-oauth-apps.ts'
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
