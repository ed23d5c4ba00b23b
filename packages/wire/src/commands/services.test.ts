import { expect, test } from 'vitest'
import { serviceName } from './services.ts'

test.each(['ssh.service', 'getty@tty1', 'MSSQL$BB', 'BB Svc Größe', '监控', "Vendor's Service, 50%", 'systemd\\x2dx'])(
  'the name %s of a service is accepted',
  (name) => {
    expect(serviceName.safeParse(name).success).toBe(true)
  },
)

test.each(['', '-H', ' ssh', 'a/b', 'a*', 'a?', '[a]', 'a\nb', 'a"b'])(
  'the name %j of a service is rejected',
  (name) => {
    expect(serviceName.safeParse(name).success).toBe(false)
  },
)
