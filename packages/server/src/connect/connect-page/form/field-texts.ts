import { translateCatalogueText } from '@linchpin/catalogue'
import type { InputProperty } from '@linchpin/runner'
import { PASSWORD_NAME } from '../../../accounts/accounts/credentials/validate-config.ts'
import {
  type DefinitionSummary,
  isCatalogueDefinition,
} from '../../../integrations/definitions/definition.ts'
import type { FieldError } from '../../../platform/errors.ts'
import { type Language, translateCommonLabel } from '../../../platform/i18n/language.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { type FieldGroup, type FormField, MAX_HELP, MAX_LABEL, toText } from './form-field.ts'

/**
 * The fields with their texts in the language of the page: those of `x-i18n`, else our translation of the catalogue's texts
 * and of common labels, else the text of the spec.
 */
export function localizeFields(
  fields: readonly FormField[],
  language: Language,
  definition: Pick<DefinitionSummary, 'latestVersion'>,
): FormField[] {
  const translate = (text: string) =>
    translateCommonLabel(language, text) ??
    (isCatalogueDefinition(definition) ? translateCatalogueText(language, text) : undefined)
  return fields.map((field) => {
    const texts = getTexts(field.property, language)
    const labels = getMember(texts, 'x-labels')
    const placeholder = toText(getMember(texts, 'x-placeholder'))?.slice(0, MAX_LABEL)
    return {
      ...field,
      ...localize(field, texts, translate),
      group: field.group && localizeGroup(field.group, language, translate),
      options: field.options.map(({ value, text }) => ({
        value,
        text: toText(getMember(labels, value))?.slice(0, MAX_LABEL) ?? translate(text) ?? text,
      })),
      attributes:
        placeholder === undefined || field.attributes.placeholder === undefined
          ? field.attributes
          : { ...field.attributes, placeholder },
    }
  })
}

type Translate = (text: string) => string | undefined

function localizeGroup(group: FieldGroup, language: Language, translate: Translate): FieldGroup {
  return { ...group, ...localize(group, getTexts(group.property, language), translate) }
}

function localize(
  { label, help }: Pick<FormField, 'label' | 'help'>,
  texts: unknown,
  translate: Translate,
): Pick<FormField, 'label' | 'help'> {
  const description = toText(getMember(texts, 'description'))?.slice(0, MAX_HELP)
  return {
    label: toText(getMember(texts, 'title'))?.slice(0, MAX_LABEL) ?? translate(label) ?? label,
    help: description ?? (help === undefined ? undefined : (translate(help) ?? help)),
  }
}

function getTexts(property: InputProperty, language: Language): unknown {
  return getMember(property['x-i18n'], language)
}

/** An own member of anything, because validation covers top-level fields only. */
function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

/** The error message of a field. */
export function getFieldErrorMessage(
  { form }: Messages,
  { label, kind, property, isRequired }: FormField,
  { code }: Pick<FieldError, 'code'>,
  value: unknown,
): Text {
  if (code === 'required' || (value === undefined && isRequired))
    return kind === 'select' || kind === 'checkbox'
      ? form.notChosen({ label })
      : form.missing({ label })
  if (kind === 'select') return form.notChosen({ label })
  if (kind === 'number' && typeof value !== 'number') return form.notNumber
  if (code === 'invalid')
    return getRangeMessage(form, property, value) ?? formatMessage(form, kind, label)
  return form.patternMismatch({ label })
}

function formatMessage(form: Messages['form'], kind: FormField['kind'], label: string): Text {
  if (kind === 'email') return form.notEmail
  if (kind === 'url') return form.notUrl
  if (kind === 'date') return form.notDate
  return form.patternMismatch({ label })
}

function getRangeMessage(
  form: Messages['form'],
  property: FormField['property'],
  value: unknown,
): Text | undefined {
  const { minLength, maxLength, minimum, maximum } = property as Readonly<Record<string, unknown>>
  // Count code points, as the validator does.
  const length = typeof value === 'string' ? [...value].length : undefined
  if (length !== undefined && isNumber(minLength) && length < minLength)
    return form.tooShort({ count: minLength })
  if (length !== undefined && isNumber(maxLength) && length > maxLength)
    return form.tooLong({ count: maxLength })
  if (isNumber(value) && isNumber(minimum) && value < minimum)
    return form.tooSmall({ count: minimum })
  if (isNumber(value) && isNumber(maximum) && value > maximum)
    return form.tooLarge({ count: maximum })
  return undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/**
 * The name of the message that fits the form: refused credentials of a form whose only secret is a key get the message about
 * "this key", those of any other form the one about "what you entered".
 */
export function getFailureMessageName(
  fields: readonly Pick<FormField, 'isSecret' | 'name'>[],
  code: string,
): string {
  return code === 'credentials_rejected' && hasSingleKey(fields) ? 'key_rejected' : code
}

/** Whether the only secret of a form is a key rather than a password. */
export function hasSingleKey(fields: readonly Pick<FormField, 'isSecret' | 'name'>[]): boolean {
  const secrets = fields.filter(({ isSecret }) => isSecret)
  return secrets.length === 1 && !secrets.some(({ name }) => PASSWORD_NAME.test(name))
}
