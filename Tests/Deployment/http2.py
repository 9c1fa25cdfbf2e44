"""A client of HTTP/2 (RFC 9113) for the tests of replacements, by libnghttp2: one request after the
other on a connection, over TLS. It tells a request that the server has not processed from one that
failed."""

import ctypes
import http.client
import socket
import ssl

LIBRARY = ctypes.CDLL("libnghttp2.so.14")
DATA, HEADERS, GOAWAY = 0, 1, 7  # types of frames
END_STREAM = 1
END_OF_DATA = 1  # NGHTTP2_DATA_FLAG_EOF
NO_ERROR, REFUSED_STREAM = 0, 7
READ_MAX = 65_536


class Unprocessed(Exception):
    """The server has not processed the request, which may be sent again (RFC 9113, 8.7)."""


class FrameHead(ctypes.Structure):
    """nghttp2_frame_hd, with which each frame begins."""

    _fields_ = [("length", ctypes.c_size_t), ("stream", ctypes.c_int32),
                ("type", ctypes.c_uint8), ("flags", ctypes.c_uint8)]


class Field(ctypes.Structure):
    """nghttp2_nv."""

    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p),
                ("name_length", ctypes.c_size_t), ("value_length", ctypes.c_size_t),
                ("flags", ctypes.c_uint8)]


POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
FRAME = ctypes.POINTER(FrameHead)
ON_FRAME = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, FRAME, POINTER)
ON_HEADER = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, FRAME, POINTER, SIZE, POINTER, SIZE,
                             ctypes.c_uint8, POINTER)
ON_DATA = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.c_uint8, ctypes.c_int32, POINTER, SIZE,
                           POINTER)
ON_CLOSE = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.c_int32, ctypes.c_uint32, POINTER)
READ = ctypes.CFUNCTYPE(ctypes.c_ssize_t, POINTER, ctypes.c_int32, POINTER, SIZE,
                        ctypes.POINTER(ctypes.c_uint32), POINTER, POINTER)


class Provider(ctypes.Structure):
    """nghttp2_data_provider, the source of a request's body."""

    _fields_ = [("source", POINTER), ("read", READ)]


LIBRARY.nghttp2_strerror.restype = ctypes.c_char_p
LIBRARY.nghttp2_session_mem_send.restype = ctypes.c_ssize_t
LIBRARY.nghttp2_session_mem_recv.restype = ctypes.c_ssize_t
LIBRARY.nghttp2_session_mem_recv.argtypes = [POINTER, ctypes.c_char_p, SIZE]
LIBRARY.nghttp2_session_mem_send.argtypes = [POINTER, ctypes.POINTER(POINTER)]
LIBRARY.nghttp2_submit_settings.argtypes = [POINTER, ctypes.c_uint8, POINTER, SIZE]
LIBRARY.nghttp2_submit_request.argtypes = [
    POINTER, POINTER, ctypes.POINTER(Field), SIZE, ctypes.POINTER(Provider), POINTER]
LIBRARY.nghttp2_session_del.argtypes = [POINTER]


def checked(result):
    """A result of the library that is no error."""
    if result < 0:
        raise http.client.HTTPException(LIBRARY.nghttp2_strerror(int(result)).decode())
    return result


class Connection:
    """A connection with one request at a time."""

    def __init__(self, host, port, context, seconds):
        self.authority = f"[{host}]" if ":" in host else host
        self.seconds = seconds
        self.is_ending = False  # the server accepts no further stream
        self.outcome = None  # the error code with which the stream was closed
        self.is_complete = False
        self.status, self.content, self.body = 0, bytearray(), b""
        self.session = POINTER()
        self.socket = context.wrap_socket(
            socket.create_connection((host, port), timeout=seconds), server_hostname=host)
        if self.socket.selected_alpn_protocol() != "h2":
            self.close()
            raise http.client.HTTPException("the server does not speak HTTP/2")
        self.begin()

    def begin(self):
        """Creates the session, and sends its preface and settings."""
        # The library calls these as long as the session exists.
        self.callbacks = {
            "on_frame_recv": ON_FRAME(self.received_frame),
            "on_header": ON_HEADER(self.received_field),
            "on_data_chunk_recv": ON_DATA(self.received_data),
            "on_stream_close": ON_CLOSE(self.closed_stream)}
        self.provider = Provider(None, READ(self.read_body))
        listed = POINTER()
        checked(LIBRARY.nghttp2_session_callbacks_new(ctypes.byref(listed)))
        for name, callback in self.callbacks.items():
            getattr(LIBRARY, f"nghttp2_session_callbacks_set_{name}_callback")(listed, callback)
        checked(LIBRARY.nghttp2_session_client_new(ctypes.byref(self.session), listed, None))
        LIBRARY.nghttp2_session_callbacks_del(listed)
        checked(LIBRARY.nghttp2_submit_settings(self.session, 0, None, 0))
        self.flush()

    # --- requests -------------------------------------------------------------------------------

    def send(self, method, path, body, fields):
        """The status and body of the response."""
        self.outcome, self.is_complete = None, False
        self.status, self.content, self.body = 0, bytearray(), body or b""
        pairs = [(":method", method), (":scheme", "https"), (":authority", self.authority),
                 (":path", path), *((name.lower(), value) for name, value in fields.items())]
        if body:
            pairs.append(("content-length", str(len(body))))
        encoded = [(name.encode(), value.encode()) for name, value in pairs]
        listed = (Field * len(pairs))(*(
            Field(name, value, len(name), len(value), 0) for name, value in encoded))
        checked(LIBRARY.nghttp2_submit_request(
            self.session, None, listed, len(pairs),
            ctypes.byref(self.provider) if body else None, None))
        self.flush()
        while self.outcome is None:
            self.take(self.socket.recv(READ_MAX))
        if self.outcome == REFUSED_STREAM:
            raise Unprocessed
        if self.outcome != NO_ERROR or not self.is_complete:
            raise http.client.HTTPException(f"the stream was reset with {self.outcome}")
        return self.status, bytes(self.content)

    def is_usable(self):
        """Reads what came since the last response; whether another request can be sent."""
        self.socket.setblocking(False)
        try:
            while not self.is_ending:
                self.take(self.socket.recv(READ_MAX))
        except ssl.SSLWantReadError:
            pass
        except (OSError, http.client.HTTPException):
            # Closed while it was idle: no request is on it.
            self.is_ending = True
        self.socket.settimeout(self.seconds)
        return not self.is_ending

    def take(self, received):
        """Hands bytes of the server to the session, and sends its reactions."""
        if not received:
            raise ConnectionResetError("the server closed the connection")
        checked(LIBRARY.nghttp2_session_mem_recv(self.session, received, len(received)))
        self.flush()

    def flush(self):
        """Sends the frames of the session."""
        frames = POINTER()
        while length := checked(
                LIBRARY.nghttp2_session_mem_send(self.session, ctypes.byref(frames))):
            self.socket.sendall(ctypes.string_at(frames, length))

    def close(self):
        """Closes the connection."""
        self.socket.close()
        LIBRARY.nghttp2_session_del(self.session)
        self.session = POINTER()

    # --- callbacks of the library ---------------------------------------------------------------

    def received_frame(self, _, frame, __):
        head = frame.contents
        self.is_ending |= head.type == GOAWAY
        self.is_complete |= head.type in (DATA, HEADERS) and bool(head.flags & END_STREAM)
        return 0

    def received_field(self, _, __, name, length, value, value_length, ___, ____):
        if ctypes.string_at(name, length) == b":status":
            self.status = int(ctypes.string_at(value, value_length))
        return 0

    def received_data(self, _, __, ___, data, length, ____):
        self.content += ctypes.string_at(data, length)
        return 0

    def closed_stream(self, _, __, code, ___):
        self.outcome = code
        return 0

    def read_body(self, _, __, buffer, length, flags, ___, ____):
        part, self.body = self.body[:length], self.body[length:]
        ctypes.memmove(buffer, part, len(part))
        if not self.body:
            flags[0] |= END_OF_DATA
        return len(part)
