import { inject } from 'vitest'
import { Administrator } from '../system/administrator.ts'
import type { UnderTest } from './global-setup.ts'

/** What all files of these tests use; the first one that asks waits until it is made. */
export async function openMuster(): Promise<{ fleet: Administrator; executable: string }> {
  const answer = await fetch(inject('windowsTests'))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`there is nothing to test: ${text}`)
  const { stack, executable }: UnderTest = JSON.parse(text)
  const fleet = new Administrator(stack)
  await fleet.renew()
  return { fleet, executable }
}
