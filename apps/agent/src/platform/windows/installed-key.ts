import { ToolFailure } from '../../tool-failure.ts'
import { getValue, setValue } from './calls/registry.ts'

export const serviceName = 'MusterAgent'
const environmentValue = 'Environment'
const keyVariable = 'MUSTER_ENROLLMENT_KEY='

/** Removes the enrollment key from the environment of the service, where an installer may have put it. */
export async function forgetInstalledKey(): Promise<void> {
  const path = `SYSTEM\\CurrentControlSet\\Services\\${serviceName}`
  const place = { hive: 'HKEY_LOCAL_MACHINE', path, view: '64' } as const
  try {
    const { data, ...value } = getValue(place, environmentValue)
    if (!Array.isArray(data) || !data.some((line) => line.startsWith(keyVariable))) return
    setValue(place, { ...value, data: data.filter((line) => !line.startsWith(keyVariable)) })
  } catch (error) {
    // Without the service, or without such a value, there is no key.
    if (!(error instanceof ToolFailure) || error.code !== 'NOT_FOUND') throw error
  }
}
