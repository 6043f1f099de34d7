/** All that is used of the authorization server, which is loaded with the first sign-in of a client: its program is a file of its own. */
export { errors, interactionPolicy, Provider } from 'oidc-provider'
