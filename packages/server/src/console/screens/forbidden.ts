import type { Scope } from '../../access/auth/caller.ts'
import { emptyState } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Page, Section, View } from '../screen.ts'

/** The page of a section that the person's role does not include: it names the role that does. Undefined if it does. */
export function showForbidden(
  view: Pick<View, 'session' | 'words'>,
  section: Section,
  scope: Scope,
): Page | undefined {
  const reason = whyNot(view, scope)
  if (reason === undefined) return undefined
  return {
    title: view.words.sections[section],
    section,
    status: 403,
    main: emptyState({ icon: 'lock', text: reason }),
  }
}
