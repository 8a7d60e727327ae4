"""Checks an evidence bundle of Runyard with nothing but Python: python3 verify.py FILE (its format: docs/guides/evidence.md)."""
import base64, hashlib, io, itertools, json, re, struct, sys, zipfile, zlib
P, L, D = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, -121665 * pow(121666, -1, 2**255 - 19)  # RFC 8032, 5.1
sha, number = lambda raw: hashlib.sha256(raw).digest(), lambda raw: int.from_bytes(raw, 'little')
links = lambda rows: list(itertools.accumulate(map(sha, rows), lambda link, digest: sha(link + digest), initial=bytes(32)))
need = lambda fits, place: fits or sys.exit(f'Not true: {place} does not fit.')
def point(raw):
    sign, y = divmod(number(raw), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    roots = (pow(square, (P + 3) // 8, P) * pow(2, (P - 1) // 4 * k, P) % P for k in range(4))
    return next(x for x in roots if x * x % P == square and x % 2 == sign), y
def add(p, q):
    t = D * p[0] * q[0] * p[1] * q[1]
    return (p[0] * q[1] + q[0] * p[1]) * pow(1 + t, -1, P) % P, (p[1] * q[1] + p[0] * q[0]) * pow(1 - t, -1, P) % P
times = lambda n, p: (0, 1) if n == 0 else add(times(n - 1, p), p) if n % 2 else times(n // 2, add(p, p))
def is_signed(text, signature, key):
    (x, y), s, h = point(key), number(signature[32:]), number(hashlib.sha512(signature[:32] + key + text).digest()) % L
    x, y = add(times(s, point(bytes([0x58] + [0x66] * 31))), times(h, (P - x, y)))
    return s < L and (y + (x % 2 << 255)).to_bytes(32, 'little') == signature[:32]
def check_rows(path, files):  # the file beside it has a line for each row: its digest, and the link after it
    rows, sums = re.findall(rb'[^\n]+', files[path]), files.get(path + '.sha256', b'').decode('latin1')
    right = [(sha(row).hex(), link.hex()) for row, link in zip(rows, links(rows)[1:])]
    for n, ((digest, link), line) in enumerate(itertools.zip_longest(right, re.findall('(?s).{1,130}', sums), fillvalue='--'), 1):
        need(line == f'{digest} {link}\n', f'{path}{".sha256" if digest in line or link in line else ""} row {n}')
def check_seals(run, files, sums, before=None):
    rows = {name: files.get(f'{run["folder"]}{name}.jsonl', b'').split(b'\n')[:-1] for name in ('events', 'steps', 'messages', 'seals')}
    for n, row in enumerate(map(json.loads, rows['seals']), 1):
        seal, head, signed, config = json.loads(row['seal']), sha(row['seal'].encode()).hex(), row['signature'], run['folder'] + 'config.json'
        cut = {e['message']['seq'] for row in rows['events'][:seal['events']['rows']] for e in json.loads(row)['events'] if e.get('message', {}).get('truncated')}
        there = {**rows, 'messages': [row for row in rows['messages'] if json.loads(row)['seq'] in cut]}
        known = [name for name in ('events', 'steps', 'messages') if name not in run['erased'] and ('events' not in run['erased'] or name == 'steps')]
        fits = [links(there[name][:seal[name]['rows']])[-1].hex() == seal[name]['link'] for name in known]
        fits += [(seal['run_id'], seal['number'], seal['before']) == (run['id'], n, before), sums.get(config) in (None, seal['config_sha256'])]
        fits += [head in json.loads(signed['text'])['heads'], is_signed(signed['text'].encode(), *(
            base64.b64decode(signed[name]) for name in ('signature', 'public_key')))] if signed else []  # null: not signed yet
        before = need(all(fits), f'{run["folder"]}seals.jsonl row {n}') and head
def check(data, at=0, end=0):
    (size, start), head = struct.unpack('<2I', data[-10:-2]), data.rfind(b'manifest.json{') + 13
    text, signature, kind, central = data[head:start - 163], data[start - 105:start - 16], struct.pack('<5H', 20, 0x0808, 0, 0, 33), []
    need(start + size + 22 == len(data), 'end record')
    need(zlib.crc32(text) == number(data[start - 159:start - 155]), 'manifest.json')
    need(zlib.crc32(signature) == number(data[start - 12:start - 8]), 'manifest.sig')
    manifest, raw = json.loads(text), base64.b64decode(signature)
    need(base64.b64encode(raw) + b'\n' == signature and is_signed(text, raw, base64.b64decode(manifest['public_key'])), 'manifest.sig')
    sums, sizes = ({file['path']: file[field] for file in manifest['files']} for field in ('sha256', 'bytes'))
    if sum(46 + len(path.encode()) + sizes[path] for path in sizes) != head - 43:  # not what was signed: so read it as it is
        sizes = {info.filename: info.file_size for info in zipfile.ZipFile(io.BytesIO(data)).infolist()[:-2]}
    files = {path: data[(end := end + 46 + len(path.encode()) + sizes[path]) - 16 - sizes[path]:end - 16] for path in sizes}
    for path in filter(lambda path: path.endswith('.jsonl'), files): check_rows(path, files)
    for path in {**files, **sums}: need(path in files and sha(files[path]).hex() == sums.get(path), path)
    for path, body in {**files, 'manifest.json': text, 'manifest.sig': signature}.items():  # every byte follows from names and contents
        name, crc = path.encode(), struct.pack('<3I', zlib.crc32(body), len(body), len(body))
        entry = b'PK\3\4' + kind + bytes(12) + struct.pack('<2H', len(name), 0) + name + body + b'PK\7\x08' + crc
        central.append((path, b'PK\1\2\x14\3' + kind + crc + struct.pack('<5H2I', len(name), 0, 0, 0, 0, 0o100644 << 16, at) + name))
        at += need(data.startswith(entry, at), path) and len(entry)
    for path, record in [*central, ('end record', b'PK\5\6' + struct.pack('<4H2IH', 0, 0, len(central), len(central), size, at, 0))]:
        at += need(data.startswith(record, at), path) and len(record)
    for run in manifest['runs']: check_seals(run, files, sums)
    print('True, signed with the key', sha(base64.b64decode(manifest['public_key'])).hex()[:16])
if __name__ == '__main__': check(open(sys.argv[1], 'rb').read())
