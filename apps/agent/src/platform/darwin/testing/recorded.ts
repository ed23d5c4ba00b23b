// What the programs of macOS print on a MacBook Air with an Apple processor, in the form that their man pages and public reports
// document. Names and numbers are invented.
import type { Answers } from './fake-mac.ts'

export const ioreg = `+-o J313AP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (1025 ms), retain 38>
    {
      "manufacturer" = <"Apple Inc.">
      "compatible" = <"J313AP","MacBookAir10,1","AppleARM">
      "IOPlatformSerialNumber" = "C02TESTSERIAL"
      "IOPlatformUUID" = "0F5E1B1A-7A5C-5B2E-9B37-6C2F1D2A3B4C"
      "serial-number" = <432d30>
      "model" = <"MacBookAir10,1">
    }

`

const hardware = {
  _name: 'hardware_overview',
  activation_lock_status: 'activation_lock_disabled',
  boot_rom_version: '10151.61.4',
  chip_type: 'Apple M1',
  machine_model: 'MacBookAir10,1',
  machine_name: 'MacBook Air',
  number_processors: 'proc 8:4:4',
  physical_memory: '8 GB',
  serial_number: 'C02TESTSERIAL',
}

const power = [
  {
    _name: 'spbattery_information',
    sppower_battery_charge_info: { sppower_battery_state_of_charge: 87 },
    sppower_battery_health_info: {
      sppower_battery_cycle_count: 253,
      sppower_battery_health: 'Good',
      sppower_battery_health_maximum_capacity: '84%',
    },
  },
  { _name: 'sppower_information' },
]

export const profile = JSON.stringify({
  SPHardwareDataType: [hardware],
  SPDisplaysDataType: [{ _name: 'Apple M1', sppci_model: 'Apple M1', spdisplays_ndrvs: [] }],
  SPPowerDataType: power,
})

export const applications = JSON.stringify({
  SPApplicationsDataType: [
    {
      ...{ _name: 'Safari', version: '17.3', obtained_from: 'apple', path: '/Applications/Safari.app' },
      lastModified: '2024-01-16T01:05:33Z',
      signed_by: ['Software Signing', 'Apple Code Signing Certification Authority', 'Apple Root CA'],
    },
    {
      ...{ _name: 'Überblick 🗂', version: '2.0', obtained_from: 'identified_developer' },
      path: '/Applications/Überblick 🗂.app',
      signed_by: ['Developer ID Application: Example LLC (ABCDE12345)', 'Developer ID Certification Authority'],
    },
    { _name: 'Loose', obtained_from: 'unknown', path: '/Users/ann/Applications/Loose.app' },
    { _name: 'AirScan', version: '17', obtained_from: 'apple', path: '/System/Library/Image Capture/AirScan.app' },
    { version: '1.0', path: '/Applications/Nameless.app' },
  ],
})

export const receipts = `package-id: com.apple.pkg.CLTools_Executables
version: 15.1.0.0.1.1700200546
volume: /
location: 
install-time: 1700300000
groups: com.apple.FindSystemFiles.pkg-group 

package-id: com.example.agent
version: 
volume: /
location: Applications
install-time: soon
`

export const vmStat = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                     3846.
Pages active:                                 120000.
Pages inactive:                               118000.
Pages speculative:                              1000.
Pages throttled:                                   0.
Pages wired down:                             131904.
Pages purgeable:                                   4.
"Translation faults":                     6471500977.
Pages copy-on-write:                       102000000.
File-backed pages:                            135205.
Anonymous pages:                              103795.
Pages stored in compressor:                   600000.
Pages occupied by compressor:                 194212.
Swapins:                                    39900738.
`

export const netstat = `Name       Mtu   Network       Address            Ipkts Ierrs     Ibytes    Opkts Oerrs     Obytes  Coll
lo0        16384 <Link#1>                        150000     0   90000000   150000     0   90000000     0
lo0        16384 127           127.0.0.1         150000     -   90000000   150000     -   90000000     -
gif0*      1280  <Link#2>                             0     0          0        0     0          0     0
en0        1500  <Link#11>   a4:83:e7:00:11:22  9000000     0 8000000000  4000000     0 1200000000     0
en0        1500  192.168.1     192.168.1.20     9000000     - 8000000000  4000000     - 1200000000     -
en5*       1500  <Link#8>    ac:de:48:00:11:22     1000     0     500000     1000     0     300000     0
bridge0    1500  <Link#12>   82:1a:2b:3c:4d:5e        5     0        700        5     0        900     0
utun3      1380  <Link#17>                         2000     0    7000000     2000     0    3000000     0
`

export const diskList = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>AllDisks</key>
	<array><string>disk0</string><string>disk0s1</string></array>
	<key>AllDisksAndPartitions</key>
	<array>
		<dict><key>OSInternal</key><false/><key>Size</key><integer>500277792768</integer></dict>
	</array>
	<key>VolumesFromDisks</key>
	<array/>
	<key>WholeDisks</key>
	<array>
		<string>disk0</string>
		<string>-force</string>
	</array>
</dict>
</plist>
`

export const diskInfo = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
	<key>BusProtocol</key><string>Apple Fabric</string>
	<key>Internal</key><true/>
	<key>MediaName</key><string>APPLE SSD AP0512Q</string>
	<key>SolidState</key><true/>
	<key>TotalSize</key><integer>500277792768</integer>
</dict>
</plist>
`

export const mounts = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s6 on /System/Volumes/VM (apfs, local, noexec, journaled, noatime, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk4s2 on /Volumes/Time on (disk) Ω (hfs, local, nodev, nosuid, journaled, noowners)
`

export const df = `Filesystem     1024-blocks      Used Available Capacity  Mounted on
/dev/disk3s1s1   482797652  15300132 200000000     8%    /
/dev/disk3s6     482797652   1048596 200000000     1%    /System/Volumes/VM
/dev/disk3s5     482797652 260000000 200000000    57%    /System/Volumes/Data
/dev/disk4s2      97656250  40000000  57656250    41%    /Volumes/Time on (disk) Ω
map auto_home            0         0         0   100%    /System/Volumes/Data/home
`

export const ifconfig = `lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
	inet 127.0.0.1 netmask 0xff000000
gif0: flags=8010<POINTOPOINT,MULTICAST> mtu 1280
en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	options=6460<TSO4,TSO6,CHANNEL_IO,PARTIAL_CSUM,ZEROINVERT_CSUM>
	ether a4:83:e7:00:11:22
	inet6 fe80::1c2:3d4:5e6:7f80%en0 prefixlen 64 secured scopeid 0xb 
	inet 192.168.1.20 netmask 0xffffff00 broadcast 192.168.1.255
	nd6 options=201<PERFORMNUD,DAD>
	media: autoselect
	status: active
en7: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	ether 00:e0:4c:68:00:01
	media: autoselect (1000baseT <full-duplex>)
	status: inactive
utun3: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1380
	inet 10.8.0.2 --> 10.8.0.1 netmask 0xffffff00
`

export const hardwarePorts = `
Hardware Port: Wi-Fi
Device: en0
Ethernet Address: a4:83:e7:00:11:22

Hardware Port: USB 10/100/1000 LAN
Device: en7
Ethernet Address: 00:e0:4c:68:00:01

VLAN Configurations
===================
`

export const users = `_spotlight              89
_www                    70
ann                     501
bob.o'neil              502
daemon                  1
 nobody                 -2
root                    0
`

export const launchctlPrint = `com.apple.xpc.launchd.domain.system = {
	type = system
	handle = 0
	active count = 460
	service count = 4
	session = System

	services = {
		     353      - 	com.apple.mDNSResponder
		       0     (pe) 	com.apple.periodic-daily
		       0     78 	com.example.broken
		       0     -9 	com.apple.idle
	}

	unmanaged processes = {
		com.apple.xpc.launchd.unmanaged.loginwindow.399 = {
			active count = 2
		}
	}

	endpoints = {
		         0x1703      U   A   com.apple.endpoint
	}
}
`

export const launchctlService = `system/com.apple.mDNSResponder = {
	active count = 2
	path = /System/Library/LaunchDaemons/com.apple.mDNSResponder.plist
	type = LaunchDaemon
	state = running

	program = /usr/sbin/mDNSResponder
	arguments = {
		/usr/sbin/mDNSResponder
		-debug mode
	}

	default environment = {
		PATH => /usr/bin:/bin:/usr/sbin:/sbin
	}

	environment = {
		XPC_SERVICE_NAME => com.apple.mDNSResponder
	}

	domain = system
	username = _mdnsresponder
	group = _mdnsresponder
	minimum runtime = 10
	exit timeout = 5
	runs = 3
	pid = 353
	immediate reason = speculative
	last exit code = (never exited)

	endpoints = {
		"com.apple.mDNSResponder" = {
			port = 0xb03
			active = 1
		}
	}

	spawn type = daemon (3)
	properties = keepalive | runatload | has LWCR
}
`

export const printDisabled = `disabled services = {
		"com.apple.ftpd" => disabled
		"com.openssh.sshd" => enabled
		"com.old.style" => true
	}
`

export const ps = `    1     0    0    0 Ss     0 410000000  12000   5:01.23 Sun Nov 22 08:00:00 2026     /sbin/launchd
  353     1   65   65 Ss     0 410100000   8000   0:10,50 Sun Nov  1 08:00:05 2026     /usr/sbin/mDNSResponder -debug mode
  900     1  501   20 R+     5 420000000 250000 123:45.67 Sun Nov 22 09:30:00 2026     /Applications/Über Editor 🗂.app/Contents/MacOS/Über Editor --flag
  901   900  502   20 Z      0        0      0   0:00.00 Sun Nov 22 09:30:00 2026     (gone)
`
export const psExecutables = `    1 /sbin/launchd
  353 /usr/sbin/mDNSResponder
  900 /Applications/Über Editor 🗂.app/Contents/MacOS/Über Editor
`
export const psThreads = `USER     PID   TT   %CPU STAT PRI     STIME     UTIME COMMAND
root       1   ??    0.0 S    37T   0:03.00   0:02.00 /sbin/launchd
           1         0.0 S    37T   0:00.00   0:00.00 
ann      900 s000    5.0 R    31T   0:01.00   0:09.00 Editor
`

/** Everything that an inventory and a heartbeat ask. */
export const recorded: Answers = {
  csrutil: [['status', 'System Integrity Protection status: enabled.\n']],
  df: [['*', df]],
  diskutil: [
    ['"list -plist physical"', diskList],
    ['"info -plist disk0"', diskInfo],
  ],
  dscl: [
    ['*/Users*UniqueID', users],
    ['*PrimaryGroupID', 'staff 20\nwheel 0\n'],
    ['*GroupMembership', 'GroupMembership: root ann\n'],
  ],
  fdesetup: [['status', 'FileVault is On.\n']],
  ifconfig: [['-a', ifconfig]],
  ioreg: [['*IOPlatformExpertDevice', ioreg]],
  last: [
    [
      '*',
      'ann       ttys000                   Sat Nov 21 10:11   still logged in\nann       console                   Fri Nov 20 09:00 - 18:00  (09:00)\nreboot    ~                         Fri Nov 20 08:59\n\nwtmp begins Sun Nov  1 08:00\n',
    ],
  ],
  launchctl: [
    ['"print system"', launchctlPrint],
    ['"print-disabled system"', printDisabled],
  ],
  mount: [['*', mounts]],
  netstat: [['-ibn', netstat]],
  networksetup: [['-listallhardwareports', hardwarePorts]],
  pkgutil: [['*--pkg-info*', receipts]],
  pmset: [
    [
      '"-g batt"',
      "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=4653155)\t87%; discharging; 4:12 remaining present: true\n",
    ],
  ],
  ps: [
    ['*lstart=*args=*', ps],
    ['*comm=*', psExecutables],
    ['-axM', psThreads],
    ['*pid=*', '  1\n353\n900\n901\n'],
  ],
  spctl: [['--status', 'assessments enabled\n']],
  sw_vers: [
    ['*', 'ProductName:\t\tmacOS\nProductVersion:\t\t14.3.1\nProductVersionExtra:\t(a)\nBuildVersion:\t\t23D60\n'],
  ],
  sysctl: [['*', 'hw.physicalcpu: 8\nhw.logicalcpu: 8\nhw.model: MacBookAir10,1\nkern.hv_vmm_present: 0\n']],
  system_profiler: [
    ['*SPApplicationsDataType', applications],
    ['*SPHardwareDataType*', profile],
  ],
  vm_stat: [['*', vmStat]],
  who: [['*', 'ann      console  Nov 20 09:00 \nann      ttys000  Nov 21 10:11 \n']],
}
