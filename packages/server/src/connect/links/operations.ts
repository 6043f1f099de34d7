import { createLinkOperation } from './create-link.ts'
import { deleteLinkOperation } from './delete-link.ts'
import { getLinkOperation } from './get-link.ts'
import { listLinksOperation } from './list-links.ts'
import { updateLinkOperation } from './update-link.ts'

export const LINK_OPERATIONS = [
  listLinksOperation,
  getLinkOperation,
  createLinkOperation,
  updateLinkOperation,
  deleteLinkOperation,
]
