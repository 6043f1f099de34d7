import type { Spec } from '@linchpin/runner'
import { configFields } from '../../account/config/config-fields.ts'
import { askedFields } from '../../connect/start/provider-fields.ts'
import { readOAuthType } from '../../oauth/spec/auth-type.ts'
import { type FormField, formFields } from '../form/form-field.ts'
import { type Page, pageUrl } from '../view/page.ts'
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
}

/** What is not asked because there is one answer: which tool, and which way. */
export function findPlace(page: Page, tools: readonly Tool[]): Place {
  const { query } = page
  const named = tools.find(({ definition }) => definition.key === query.integration)
  const [only] = tools
  const tool = named ?? (tools.length === 1 ? only : undefined)
  if (tool === undefined) return { at: 'list' }
  const list = tools.length === 1 ? undefined : pageUrl(page)
  const chosen = tool.ready.find(({ authType }) => authType === query.auth)
  const [first] = tool.ready
  const way = chosen ?? (tool.ready.length === 1 ? first : undefined)
  if (way === undefined) return { at: 'ways', tool, back: list }
  const ways = tool.ready.length === 1 ? list : pageUrl(page, { integration: tool.definition.key })
  return { at: 'form', tool, way, fields: fieldsOf(tool, way), back: ways }
}

/** What a person is asked for on one way: nothing that sign-in brings itself. */
function fieldsOf({ definition }: Tool, { authType }: Way): FormField[] {
  const spec = JSON.parse(definition.spec) as Spec
  const fields = configFields(spec, authType)
  if (fields === undefined) return []
  const type = readOAuthType(spec, authType)
  return formFields(type === undefined ? fields : askedFields(fields, type))
}
