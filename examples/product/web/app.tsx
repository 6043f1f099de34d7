import { useEffect, useState } from 'react'
import type { Customer } from '../customers.ts'
import { callApi } from './call-api.ts'
import { ConnectionList } from './connection-list.tsx'
import { SignIn } from './sign-in.tsx'

/** The page: to sign in, or the connections of the customer that is signed in. */
export function App() {
  const [customer, setCustomer] = useState<Customer | null>()
  useEffect(() => {
    callApi<Customer | null>('GET', 'customer').then(setCustomer, () => setCustomer(null))
  }, [])
  const signOut = () => callApi('POST', 'sign-out').then(() => setCustomer(null))

  if (customer === undefined) return null
  return (
    <>
      <header>
        <strong>Ticket Board</strong>
        {customer && (
          <p>
            {customer.name}
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          </p>
        )}
      </header>
      <main>{customer ? <ConnectionList /> : <SignIn onSignIn={setCustomer} />}</main>
    </>
  )
}
