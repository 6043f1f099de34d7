import { deleteWorkspaceOperation } from './delete-workspace.ts'
import { eraseCustomerOperation } from './erase-customer.ts'
import { exportCustomerOperation } from './export-customer.ts'

export const ERASURE_OPERATIONS = [
  eraseCustomerOperation,
  exportCustomerOperation,
  deleteWorkspaceOperation,
]
