import { isExposed } from '@muster/wire/plaintext.ts'
import { AgentStopped } from './agent-stopped.ts'

/** For an address that the server gave. @throws AgentStopped when it is plaintext over a network and no flag allows that */
export function requireEncrypted(address: string, allowPlaintext: boolean): void {
  if (allowPlaintext || !isExposed(address)) return
  throw new AgentStopped(
    `the server gave ${address}, which is not encrypted: set its INGEST_PUBLIC_URL to a wss: address, or start the agent with --allow-plaintext`,
  )
}
