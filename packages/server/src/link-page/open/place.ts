import type { FormField } from '../form/form-field.ts'
import { type Page, pageUrl } from '../view/page.ts'
import { type FormTargets, formTargets } from './form-targets.ts'
import type { Tool, Way } from './tools.ts'

/** Where in the page a person is: at the list, at the ways of one tool, or at the form of one way. */
export type Place =
  | { readonly at: 'list' }
  | { readonly at: 'ways'; readonly tool: Tool; readonly back: string | undefined }
  | ({ readonly at: 'form' } & FormPlace)

export interface FormPlace {
  readonly tool: Tool
  readonly way: Way
  readonly fields: readonly FormField[]
  /** Where "back" leads; undefined where the form is the first thing. */
  readonly back: string | undefined
  readonly targets: FormTargets
}

/** What is not asked because there is one answer: which tool, and which way. */
export function findPlace(page: Page, tools: readonly Tool[]): Place {
  const { query } = page
  const named = tools.find(({ definition }) => definition.key === query.integration)
  const [only] = tools
  const tool = named ?? (tools.length === 1 ? only : undefined)
  if (tool === undefined) return { at: 'list' }
  const { q, category } = query
  const list = tools.length === 1 ? undefined : pageUrl(page, { q, category })
  const chosen = tool.ready.find(({ authType }) => authType === query.auth)
  const [first] = tool.ready
  const way = chosen ?? (tool.ready.length === 1 ? first : undefined)
  if (way === undefined) return { at: 'ways', tool, back: list }
  const ways =
    tool.ready.length === 1
      ? list
      : pageUrl(page, { integration: tool.definition.key, q, category })
  return { at: 'form', tool, way, fields: way.fields, back: ways, targets: formTargets(tools) }
}
