import type { Messages } from '../../i18n/messages.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import { assetUrl } from '../../ui/assets.ts'

/** The translated name of a category; a custom one is shown unchanged. */
export function getCategoryName(
  { picker }: Messages,
  { type_key, type_name }: Pick<DefinitionRow, 'type_key' | 'type_name'>,
): string {
  const names: Readonly<Record<string, string>> = picker.category
  const key = type_key.toLowerCase()
  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? type_name
}

/** Whether the integration is a custom one of the workspace, which has not been reviewed. */
export function isCustomIntegration({
  release_stage,
}: Pick<DefinitionRow, 'release_stage'>): boolean {
  return release_stage === 'CUSTOM'
}

/** The icon of a catalogue integration. Custom ones have none, since their name could imitate another product (quality T15). */
export function getIntegrationIcon(
  definition: Pick<DefinitionRow, 'key' | 'release_stage'>,
): string | undefined {
  return isCustomIntegration(definition) ? undefined : assetUrl(`icons/${definition.key}.svg`)
}

/** The badges of an integration. Release stages are for developers and not shown. */
export function getIntegrationBadges(
  { picker }: Messages,
  definition: Pick<DefinitionRow, 'release_stage'>,
): string[] {
  return isCustomIntegration(definition) ? [picker.custom] : []
}
