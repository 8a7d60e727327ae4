// The rows of the escape table: what code may try from inside a sandbox.
import type { Command } from '../../src/drivers/sandbox/sandbox.ts'

export interface Attempt {
  tries: string
  language: Command['language']
  /** `outside` is a folder of the host beside the workspace, with a file `secret`. */
  code: (outside: string) => string
}

export const reads: Attempt[] = [
  {
    tries: 'a path that climbs out',
    language: 'bash',
    code: (outside) => `
      cat ../outside/secret ../../../../../../../..${outside}/secret ${outside}/secret
      cat "/workspace/../..${outside}/secret" "/workspace/./../outside/secret" < ${outside}/secret
      find /etc /home /opt /root /run /srv /tmp /var /workspace -name secret -exec cat {} +; cat /etc/shadow /root/.bashrc`,
  },
  {
    tries: 'paths that climb out and links, by python',
    language: 'python',
    code: (outside) => `
import os, glob
def attempt(what, *names):
    try: print(what(*names))
    except OSError as error: print(error.errno)
read = lambda path: open(path).read()
for path in ['../outside/secret', '${outside}/secret', 'link', 'folder/secret', *glob.glob('/tmp/*/*/secret')]:
    attempt(read, path)
for make in [os.symlink, getattr(os, 'link', os.symlink)]:
    attempt(make, '${outside}/secret', make.__name__)
    attempt(read, make.__name__)
print(os.environ)
for path in ['${outside}/made', '../outside/made', 'folder/made', 'link']:
    attempt(lambda: open(path, 'w').write('x'))
attempt(os.rename, '${outside}/secret', 'stolen')`,
  },
  {
    tries: 'a path that climbs out, by js',
    language: 'js',
    code: (outside) => `
      for (const path of ['../outside/secret', '${outside}/secret', '/proc/self/environ', '/proc/1/environ']) {
        try { console.log(require('fs').readFileSync(path, 'utf8')) } catch (error) { console.log(error.code) }
      }
      console.log(JSON.stringify(process.env))`,
  },
  {
    tries: 'links that lay in the workspace before',
    language: 'bash',
    code: () =>
      'cat link; cat folder/secret; cp link copy; cp -r folder copies; cd folder && cat secret; tar cf t.tar link folder; cat t.tar copy',
  },
  {
    tries: 'links that it makes',
    language: 'bash',
    code: (outside) => `
      ln -s ${outside}/secret made; cat made; ln -s ${outside} dir; cat dir/secret; ln -s / root; cat root${outside}/secret
      ln ${outside}/secret hard; cat hard; ln link hard2; cat hard2`,
  },
  {
    tries: 'the environment of the service',
    language: 'bash',
    code: () =>
      'env; export -p; set; echo $RUNYARD_CANARY; cat /proc/self/environ /proc/1/environ /proc/*/environ /proc/*/task/*/environ',
  },
  {
    tries: 'the processes of the host',
    language: 'bash',
    code: (outside) =>
      `cat /proc/*/root${outside}/secret /proc/*/cwd/../outside/secret ; ls -l /proc/1/fd; ps aux; kill -9 -1; kill -9 ${process.pid} ${process.ppid}`,
  },
]

export const writes: Attempt[] = [
  {
    tries: 'to write outside',
    language: 'bash',
    code: (outside) => `
      echo x > ${outside}/made; echo x > ../outside/made; echo x >> ${outside}/secret; touch ${outside}/made /made /usr/made
      cp /bin/ls ${outside}/; mv ${outside}/secret .; mkdir ${outside}/dir; chmod 777 link ${outside}; cp t.tar folder/`,
  },
  { tries: 'to write through a link to a folder', language: 'bash', code: () => 'echo x > folder/made' },
  { tries: 'to write through a link to a file', language: 'bash', code: () => 'echo x >> link' },
  {
    tries: 'to write outside, by js',
    language: 'js',
    code: (outside) => `
      for (const path of ['${outside}/made', '../outside/made', 'folder/made', 'link']) {
        try { require('fs').writeFileSync(path, 'x') } catch (error) { console.log(error.code) }
      }`,
  },
  {
    tries: 'to remove everything',
    language: 'bash',
    code: (outside) => `rm -rf ${outside} ../outside folder/ /etc /opt`,
  },
]

/** Of a host of this port on loopback, where somebody listens. */
export const dials = (port: number): Attempt[] => [
  {
    tries: 'loopback and metadata addresses',
    language: 'bash',
    code: () => `
      for host in 127.0.0.1 localhost 0.0.0.0 '[::ffff:127.0.0.1]'; do curl -s -m 1 http://$host:${port}/; done
      curl -s -m 1 http://169.254.169.254/latest/meta-data/ && echo reached
      (echo x > /dev/tcp/127.0.0.1/${port})`,
  },
  {
    tries: 'loopback and metadata addresses, by python',
    language: 'python',
    code: () => `
import socket
for where in [('127.0.0.1', ${port}), ('0.0.0.0', ${port}), ('169.254.169.254', 80)]:
    try:
        socket.create_connection(where, timeout=1).send(b'x')
        print('reached')
    except Exception as error: print('no')`,
  },
  {
    tries: 'loopback and metadata addresses, by js',
    language: 'js',
    code: () => `
      for (const url of ['http://127.0.0.1:${port}/', 'http://localhost:${port}/', 'http://169.254.169.254/']) {
        try { await fetch(url); console.log('reached') } catch { console.log('no') }
      }`,
  },
]

export type Endless = Pick<Command, 'language' | 'code'>

/** Each runs until it is cut off. */
export const loops: Endless[] = [
  { language: 'bash', code: "awk 'BEGIN { while (1) x++ }'" },
  { language: 'bash', code: 'sleep 600' },
  { language: 'python', code: 'while True: pass' },
  { language: 'python', code: "import re; re.match(r'^(a+)+$', 'a' * 64 + '!')" },
  { language: 'js', code: 'while (true) {}' },
  { language: 'js', code: "/^(a+)+$/.test('a'.repeat(64) + '!')" },
  { language: 'bash', code: "trap '' TERM INT HUP; while true; do echo endless; done" },
]

/** Each takes memory until it is cut off. */
export const grows: Endless[] = [
  { language: 'python', code: 'a = []\nwhile True: a.append(bytearray(10_000_000))' },
  { language: 'js', code: 'const a = []; while (true) a.push(new Uint8Array(10_000_000).fill(1))' },
]
