import { isExposed } from '@muster/wire/plaintext.ts'
import { AgentStopped } from './agent-stopped.ts'

/** Checks an address from the server. @throws AgentStopped for plaintext over a network without the flag that allows it */
export function requireEncrypted(address: string, allowPlaintext: boolean): void {
  if (allowPlaintext || !isExposed(address)) return
  throw new AgentStopped(
    `the server gave ${address}, which is not encrypted: set its INGEST_PUBLIC_URL to a wss: address, or start the agent with --allow-plaintext`,
  )
}
