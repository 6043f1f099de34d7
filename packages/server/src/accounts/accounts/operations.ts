import { createAccountOperation } from './create-account.ts'
import { deleteAccountOperation } from './delete-account.ts'
import { getAccountOperation } from './get-account.ts'
import { getAccountCredentialsOperation } from './get-account-credentials.ts'
import { importAccountOperation } from './import-account.ts'
import { listAccountHistoryOperation } from './list-account-history.ts'
import { listAccountsOperation } from './list-accounts.ts'
import { updateAccountOperation } from './update-account.ts'
import { checkAccountOperation } from './verification/check-account.ts'

/** Those that need nothing but the database. */
export const ACCOUNT_READS = [
  listAccountsOperation,
  getAccountOperation,
  listAccountHistoryOperation,
]

export const ACCOUNT_OPERATIONS = [
  createAccountOperation,
  checkAccountOperation,
  importAccountOperation,
  updateAccountOperation,
  getAccountCredentialsOperation,
  deleteAccountOperation,
]
