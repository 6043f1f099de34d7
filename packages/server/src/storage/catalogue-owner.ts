/**
 * Whose the definitions of the catalogue are in storage: a workspace and a user that nobody reaches. Their ids are of a
 * form that `newId` never makes.
 */
export const CATALOGUE_WORKSPACE_ID = `wsp_${'0'.repeat(26)}`
export const CATALOGUE_USER_ID = `usr_${'0'.repeat(26)}`
