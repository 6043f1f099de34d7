/**
 * The owner of the catalogue definitions in storage: a workspace and a user that no caller can access. `newId` never
 * creates ids of this form.
 */
export const CATALOGUE_WORKSPACE_ID = `wsp_${'0'.repeat(26)}`
export const CATALOGUE_USER_ID = `usr_${'0'.repeat(26)}`
