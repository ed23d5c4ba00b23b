import { can, create, id, nameText, noStepUp, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device, OsType } from '../devices/devices.contract.ts'
import { InstallCommands } from './codes/install-commands.contract.ts'

const name = nameText()

export const provision = {
  create: create('/devices/provision', {
    summary: 'Provision a device before its agent enrolls, with a key for that machine and one use',
    access: can('devices:write'),
    audit: 'device.provision',
    stepUp: noStepUp('the key enrolls one machine, once'),
    input: z.object({
      orgId: id(),
      siteId: id().nullable().default(null),
      hostname: name,
      displayName: name.nullable().default(null),
      osType: OsType.nullable().default(null),
      tags: z.array(nameText(100)).max(50).default([]),
      /** How long the key is valid. */
      expiresInSeconds: z
        .int()
        .min(60)
        .max(90 * 86_400)
        .default(7 * 86_400),
    }),
    output: z.object({
      device: Device,
      enrollment: z.object({
        /** Shown only in this response. */
        key: z.string(),
        keyId: id(),
        serverUrl: z.string(),
        /** The command that installs the agent on Linux. It asks for the key on standard input. */
        installCommand: z.string(),
        installCommands: InstallCommands,
        expiresAt: time(),
      }),
    }),
  }),
}
