import { createAccountThroughLinkOperation } from './create-account-through-link.ts'
import { createLinkOperation } from './create-link.ts'
import { deleteLinkOperation } from './delete-link.ts'
import { getLinkOperation } from './get-link.ts'
import { listLinksOperation } from './list-links.ts'
import { updateLinkOperation } from './update-link.ts'

/** Those that need nothing but the database. */
export const LINK_READS = [listLinksOperation, getLinkOperation]

export const LINK_OPERATIONS = [
  createLinkOperation,
  updateLinkOperation,
  deleteLinkOperation,
  createAccountThroughLinkOperation,
]
