import { countAccountsOperation } from './count-accounts.ts'
import { createAccountOperation } from './create-account.ts'
import { getDefinitionHealthOperation, trustDefinitionOperation } from './definition-health.ts'
import { deleteAccountOperation } from './delete-account.ts'
import { getAccountOperation, listAccountHistoryOperation } from './get-account.ts'
import { getAccountCredentialsOperation } from './get-account-credentials.ts'
import { getAccountHealthOperation } from './get-account-health.ts'
import { importAccountOperation } from './import-account.ts'
import { listAccountsOperation } from './list-accounts.ts'
import { listCustomersOperation } from './list-customers.ts'
import { recheckAccountOperation } from './recheck-account.ts'
import { startDebugWindowOperation } from './start-debug-window.ts'
import { updateAccountOperation } from './update-account.ts'
import { checkAccountOperation } from './verification/check-account.ts'
import { checkDefinitionOperation } from './verification/check-definition.ts'

export const ACCOUNT_OPERATIONS = [
  listAccountsOperation,
  countAccountsOperation,
  listCustomersOperation,
  getAccountOperation,
  listAccountHistoryOperation,
  getAccountHealthOperation,
  createAccountOperation,
  checkAccountOperation,
  checkDefinitionOperation,
  recheckAccountOperation,
  getDefinitionHealthOperation,
  trustDefinitionOperation,
  importAccountOperation,
  updateAccountOperation,
  getAccountCredentialsOperation,
  startDebugWindowOperation,
  deleteAccountOperation,
]
