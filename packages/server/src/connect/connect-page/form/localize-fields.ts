import { translateCatalogueText } from '@linchpin/catalogue'
import type { InputProperty } from '@linchpin/runner'
import {
  type DefinitionSummary,
  isCatalogueDefinition,
} from '../../../integrations/definitions/definition.ts'
import { translateCommonLabel } from '../../../platform/i18n/common-labels.ts'
import type { Language } from '../../../platform/i18n/language.ts'
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
